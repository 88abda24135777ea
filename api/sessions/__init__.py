"""Sessions that the service keeps, so that everybody at a table sees and continues the same one."""
