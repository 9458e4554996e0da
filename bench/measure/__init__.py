"""The modules of bench/run."""
