"""Archives of photos read in bulk: from folders, tar files and object stores to Parquet."""
