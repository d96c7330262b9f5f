-- case: a column
CREATE TABLE t (id INT, c STRING COLLATE UTF8_LCASE) USING iceberg;  -- warning: SIS216

-- case: in a struct
CREATE TABLE t (id INT, s STRUCT<a: STRING COLLATE UNICODE_CI>) USING iceberg;  -- warning: SIS216

-- case: ADD COLUMN
CREATE TABLE t (id INT) USING iceberg;
ALTER TABLE t ADD COLUMN c STRING COLLATE UNICODE;  -- warning: SIS216

-- case: that of a plain string
CREATE TABLE t (id INT, c STRING COLLATE UTF8_BINARY) USING iceberg;

-- case: a plain string
CREATE TABLE t (id INT, c STRING) USING iceberg;
