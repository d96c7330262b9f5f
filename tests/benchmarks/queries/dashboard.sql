-- latest events
SELECT * FROM events ORDER BY ts DESC LIMIT 20;
-- latest of one tenant
SELECT ts, kind, amount FROM events WHERE tenant = 7 ORDER BY ts DESC LIMIT 20;
-- first day
SELECT min(ts), max(ts), count(*) FROM events;
-- events by day
SELECT to_date(ts) AS day, count(*) AS events, max(ts) AS latest FROM events GROUP BY to_date(ts) ORDER BY day;
-- events by month
SELECT date_trunc('month', ts) AS month, count(*) AS events FROM events GROUP BY 1 ORDER BY 1;
-- events of the last week by day
SELECT iceberg_days(ts) AS day, count(*), min(id), max(id) FROM events WHERE ts >= TIMESTAMP '2024-04-23' GROUP BY 1 ORDER BY 1;
-- days with data
SELECT DISTINCT to_date(ts) FROM events;
-- one month in words
SELECT max(ts), min(id) FROM events WHERE year(ts) = 2024 AND month(ts) = 2;
-- the latest day
SELECT kind, count(*), sum(amount) FROM events WHERE to_date(ts) = (SELECT max(to_date(ts)) FROM events) GROUP BY kind ORDER BY kind;
-- holidays
SELECT c.name, count(*), sum(e.amount) FROM events e JOIN calendar c ON to_date(e.ts) = c.day WHERE c.holiday GROUP BY c.name ORDER BY c.name;
-- one week of the calendar
SELECT c.day, sum(e.amount) FROM events e JOIN calendar c ON to_date(e.ts) = c.day WHERE c.week = 12 GROUP BY c.day ORDER BY c.day;
-- days of the incidents
SELECT i.name, count(*) FROM events e JOIN incidents i ON e.ts >= i.since AND e.ts < i.until GROUP BY i.name ORDER BY i.name;
-- a sample of errors
SELECT id, ts, kind FROM events WHERE ts >= TIMESTAMP '2024-02-01' AND amount >= 0 LIMIT 50;
-- logs of the fifth of each month
SELECT ds, count(*), sum(size) FROM logs WHERE substr(ds, 7, 2) = '05' GROUP BY ds ORDER BY ds;
-- logs of a day, by number
SELECT level, count(*) FROM logs WHERE ds = 20240305 GROUP BY level ORDER BY level;
-- logs of the latest day
SELECT level, count(*), max(size) FROM logs WHERE ds = (SELECT max(ds) FROM logs) GROUP BY level ORDER BY level;
-- days of logs
SELECT ds, count(*) FROM logs GROUP BY ds ORDER BY ds;
-- all of it: nothing can be left out
SELECT tenant, kind, sum(amount), count(*) FROM events GROUP BY tenant, kind ORDER BY tenant, kind;
-- one text in all files
SELECT count(*) FROM events WHERE note LIKE '%77%';
