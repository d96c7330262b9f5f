"""Tables in programs: DataFrame writers, pyiceberg, and side effects of API calls."""
