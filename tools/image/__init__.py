"""Build and run the container image on this machine without a registry (`make image-test`)."""
