"""The functions and optimizer rules as a jar, for Spark without Python."""
