"""Reading photos outside the process of the app: what is sent, and processes of this machine."""
