"""Running the service: a supervisor whose children are the store and the web server."""
