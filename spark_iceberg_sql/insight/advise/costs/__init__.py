"""What queries read and shuffle under each spec."""
