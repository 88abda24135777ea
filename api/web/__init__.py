"""What every route shares: settings, problems, middleware, queue, logs."""
