"""Preview pictures of shared links: SVG of what a spectator may see, rasterised to PNG if resvg is installed."""
