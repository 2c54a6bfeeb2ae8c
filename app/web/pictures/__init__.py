"""Pictures that a shared link shows: drawn as SVG from what a spectator may see, made PNG where resvg is installed."""
