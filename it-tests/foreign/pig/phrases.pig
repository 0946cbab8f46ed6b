-- What Pig's tutorial looks for in the log of a search engine, in a script of our own: the tutorial's functions are in no
-- released jar. Each map has a file of its own, and names of temporary files, which differ from run to run, are not counted.
set default_parallel 3;
set pig.splitCombination false;
set pig.disable.counter true;

define phrases `awk -f $HERE/phrases.awk`;

log = load '$WORK/input' using PigStorage('\t') as (user:chararray, time:chararray, query:chararray);
asked = filter log by query is not null and TRIM(query) != '' and not (query matches '(https?://|www[.]).*');
hours = foreach asked generate user, SUBSTRING(time, 6, 8), LOWER(TRIM(query));
said = stream hours through phrases as (user:chararray, hour:chararray, phrase:chararray);
of_users = distinct said;
per_hour = foreach (group of_users by (phrase, hour))
  generate flatten(group) as (phrase:chararray, hour:chararray), COUNT(of_users) as users:long;

-- phrases of one hour above all, as far from their mean as they are
with_mean = foreach (group per_hour by phrase)
  generate group as phrase, flatten(per_hour.(hour, users)) as (hour:chararray, users:long),
    AVG(per_hour.users) as mean, COUNT(per_hour) as hours;
popular = filter with_mean by hours > 2 and users > 3 * mean;
scored = foreach popular generate hour, phrase, users / mean as score, users, mean;
in_order = order scored by hour, score desc, phrase;
store in_order into '$WORK/popular';

-- phrases of midnight that are those of noon too
midnight = filter per_hour by hour == '00';
noon = filter per_hour by hour == '12';
both = foreach (join midnight by phrase, noon by phrase) generate midnight::phrase, midnight::users, noon::users;
store both into '$WORK/out/both';
