"""The container image built and run on this machine, without a registry (`make image-test`)."""
