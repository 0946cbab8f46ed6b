create table facts (k int, g string, v bigint) row format delimited fields terminated by ',';
load data local inpath '${WORK}/facts.csv' into table facts;
create table names (k int, name string) row format delimited fields terminated by ',';
load data local inpath '${WORK}/names.csv' into table names;

-- count, group by, join
insert overwrite local directory '${OUT}/count'
  select count(*), sum(v), min(v), max(v) from facts;
insert overwrite local directory '${OUT}/group'
  select g, count(*), sum(v) from facts group by g;
insert overwrite local directory '${OUT}/join'
  select name, count(*), sum(v) from facts join names on facts.k = names.k group by name;

-- the rest, which a short run leaves out

-- group by without an aggregation in the maps, and with two stages for skewed keys
set hive.map.aggr=false;
insert overwrite local directory '${OUT}/group-in-reduces'
  select g, count(*), sum(v) from facts group by g;
set hive.groupby.skewindata=true;
insert overwrite local directory '${OUT}/group-skewed-large'
  select g, max(v) from facts where length(g) = 2 group by g;
set hive.map.aggr=true;

-- Hive sends these rows to reduces by rand() without a seed, so how many partial sums there are differs from run to run, by
-- stock too: the counters of this query are not printed. Above, every reduce gets rows of every key.
set hive.exec.post.hooks=;
insert overwrite local directory '${OUT}/group-skewed'
  select g, count(*), sum(v) from facts group by g;
set hive.exec.post.hooks=foreign.hive.CountersHook;
set hive.groupby.skewindata=false;

-- a join whose skewed keys go their own way
set hive.optimize.skewjoin=true;
set hive.skewjoin.key=1000;
insert overwrite local directory '${OUT}/join-skewed'
  select a.g, count(*) from facts a join (select distinct g from facts where v < 900) b on a.g = b.g group by a.g;
set hive.optimize.skewjoin=false;
insert overwrite local directory '${OUT}/join-outer'
  select name, count(facts.k) from names left outer join facts on facts.k = names.k group by name;

-- a join whose small side is read into memory
set hive.auto.convert.join=true;
insert overwrite local directory '${OUT}/join-in-maps'
  select name, count(*), sum(v) from facts join names on facts.k = names.k group by name;
set hive.auto.convert.join=false;

-- order by, distinct, count(distinct)
insert overwrite local directory '${OUT}/order'
  select k, g, v from facts order by v desc, k, g limit 500;
insert overwrite local directory '${OUT}/distinct'
  select distinct k % 100, g from facts;
insert overwrite local directory '${OUT}/count-distinct'
  select g, count(distinct k), count(distinct v) from facts group by g;

-- a window, a union
insert overwrite local directory '${OUT}/window'
  select k, g, v, sum(v) over (partition by k order by v, g rows between unbounded preceding and current row)
  from facts where k < 300;
insert overwrite local directory '${OUT}/union'
  select g, sum(n) from (select g, count(*) as n from facts where v < 500 group by g
    union all select g, count(*) as n from facts where v >= 500 group by g) u group by g;

-- tables made of queries, one of the other
create table sums stored as sequencefile as select k, sum(v) as total, count(*) as n from facts group by k;
create table tens stored as orc as select k % 10 as ten, sum(total) as total, sum(n) as n from sums group by k % 10;
insert overwrite local directory '${OUT}/chain'
  select ten, total, n from tens order by ten;

-- buckets
create table bucketed (k int, g string, v bigint) clustered by (k) sorted by (k) into 3 buckets;
insert overwrite table bucketed select * from facts;
insert overwrite local directory '${OUT}/bucketed'
  select k, count(*), sum(v) from bucketed tablesample (bucket 2 out of 3 on k) group by k;
