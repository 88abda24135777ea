"""Assembly of the HTTP service: routers, middleware, page, health."""
