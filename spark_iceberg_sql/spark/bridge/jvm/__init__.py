"""The JVM: its process, its objects, classes compiled in it, sessions, and differences between versions of Spark."""
