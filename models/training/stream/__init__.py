"""Training on a GPU while other processes render: a scene is kept on disk only until it is read."""
