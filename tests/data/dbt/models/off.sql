{{ config(enabled=var('all', false), partition_by='weeks(x)') }}
select 1 as x
