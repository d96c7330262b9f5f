-- q3
SELECT d_year, i_brand_id, i_brand, sum(ss_ext_sales_price) AS sum_agg FROM date_dim, store_sales, item WHERE d_date_sk = ss_sold_date_sk AND ss_item_sk = i_item_sk AND i_manufact_id = 128 AND d_moy = 11 GROUP BY d_year, i_brand, i_brand_id ORDER BY d_year, sum_agg DESC, i_brand_id LIMIT 100;
-- q7
SELECT i_item_id, avg(ss_quantity), avg(ss_list_price), avg(ss_coupon_amt), avg(ss_sales_price) FROM store_sales, customer_demographics, date_dim, item, promotion WHERE ss_sold_date_sk = d_date_sk AND ss_item_sk = i_item_sk AND ss_cdemo_sk = cd_demo_sk AND ss_promo_sk = p_promo_sk AND cd_gender = 'M' AND cd_marital_status = 'S' AND cd_education_status = 'College' AND (p_channel_email = 'N' OR p_channel_event = 'N') AND d_year = 2000 GROUP BY i_item_id ORDER BY i_item_id LIMIT 100;
-- q19
SELECT i_brand_id, i_brand, i_manufact_id, i_manufact, sum(ss_ext_sales_price) AS ext_price FROM date_dim, store_sales, item, customer, customer_address, store WHERE d_date_sk = ss_sold_date_sk AND ss_item_sk = i_item_sk AND i_manager_id = 8 AND d_moy = 11 AND d_year = 1998 AND ss_customer_sk = c_customer_sk AND c_current_addr_sk = ca_address_sk AND substr(ca_zip, 1, 5) <> substr(s_zip, 1, 5) AND ss_store_sk = s_store_sk GROUP BY i_brand, i_brand_id, i_manufact_id, i_manufact ORDER BY ext_price DESC, i_brand, i_brand_id, i_manufact_id, i_manufact LIMIT 100;
-- q42
SELECT d_year, i_category_id, i_category, sum(ss_ext_sales_price) AS s FROM date_dim, store_sales, item WHERE d_date_sk = ss_sold_date_sk AND ss_item_sk = i_item_sk AND i_manager_id = 1 AND d_moy = 11 AND d_year = 2000 GROUP BY d_year, i_category_id, i_category ORDER BY s DESC, d_year, i_category_id, i_category LIMIT 100;
-- q52
SELECT d_year, i_brand_id, i_brand, sum(ss_ext_sales_price) AS ext_price FROM date_dim, store_sales, item WHERE d_date_sk = ss_sold_date_sk AND ss_item_sk = i_item_sk AND i_manager_id = 1 AND d_moy = 11 AND d_year = 2000 GROUP BY d_year, i_brand, i_brand_id ORDER BY d_year, ext_price DESC, i_brand_id LIMIT 100;
-- q55
SELECT i_brand_id, i_brand, sum(ss_ext_sales_price) AS ext_price FROM date_dim, store_sales, item WHERE d_date_sk = ss_sold_date_sk AND ss_item_sk = i_item_sk AND i_manager_id = 28 AND d_moy = 11 AND d_year = 1999 GROUP BY i_brand, i_brand_id ORDER BY ext_price DESC, i_brand_id LIMIT 100;
-- q68, the part about dates
SELECT ss_ticket_number, ss_customer_sk, sum(ss_ext_sales_price) AS extended_price FROM store_sales, date_dim, store, household_demographics WHERE ss_sold_date_sk = d_date_sk AND ss_store_sk = s_store_sk AND ss_hdemo_sk = hd_demo_sk AND d_dom BETWEEN 1 AND 2 AND (hd_dep_count = 4 OR hd_vehicle_count = 3) AND d_year = 1999 GROUP BY ss_ticket_number, ss_customer_sk ORDER BY extended_price DESC, ss_ticket_number LIMIT 100;
-- q96
SELECT count(*) FROM store_sales, household_demographics, time_dim, store WHERE ss_sold_time_sk = t_time_sk AND ss_hdemo_sk = hd_demo_sk AND ss_store_sk = s_store_sk AND t_hour = 20 AND t_minute >= 30 AND hd_dep_count = 7 AND s_store_name = 'ese';
-- q98, the part about one month
SELECT i_item_id, i_category, i_class, i_current_price, sum(ss_ext_sales_price) AS itemrevenue FROM store_sales, item, date_dim WHERE ss_item_sk = i_item_sk AND i_category IN ('Sports', 'Books', 'Home') AND ss_sold_date_sk = d_date_sk AND d_date BETWEEN DATE '1999-02-22' AND DATE '1999-03-24' GROUP BY i_item_id, i_category, i_class, i_current_price ORDER BY i_category, i_class, i_item_id LIMIT 100;
