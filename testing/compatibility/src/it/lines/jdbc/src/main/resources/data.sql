INSERT INTO tierlimit_rule (rule_id, rate) VALUES ('everybody', '2/d');
