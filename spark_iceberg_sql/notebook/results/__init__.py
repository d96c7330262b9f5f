"""What a cell does with its result: charts, files, views, history."""
