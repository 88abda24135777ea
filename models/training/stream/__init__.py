"""Training on a GPU while other processes render: no scene is stored for longer than its turn."""
