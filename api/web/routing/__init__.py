"""How requests come to routes: HEAD beside GET, and bodies of which nothing is dropped."""
