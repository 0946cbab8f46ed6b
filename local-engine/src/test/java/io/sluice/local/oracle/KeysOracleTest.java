package io.sluice.local.oracle;

import java.util.List;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.serializer.WritableSerialization;
import org.apache.hadoop.mapreduce.Job;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Keys of every class, in the order that is theirs. */
@Tag("slow")
class KeysOracleTest extends OracleTestBase {
  @ParameterizedTest
  @EnumSource(Keys.class)
  void keysOfAnyClassAreAsWithStock(Keys keys) throws Exception {
    sameAsStock(keys, List.of(exchange()));
  }

  @ParameterizedTest
  @EnumSource(Keys.class)
  @Tag("campaign")
  void keysOfAnyClassAreAsWithStockInEachExchange(Keys keys) throws Exception {
    sameAsStock(keys, Oracle.EXCHANGES);
  }

  private void sameAsStock(Keys keys, List<String> exchanges) throws Exception {
    inputs.files("keys", 3, 800, 100);
    oracle
        .conf()
        .setStrings(
            "io.serializations",
            WritableSerialization.class.getName(),
            Keys.PlainSerialization.class.getName());
    oracle.sameAsStock(
        settings -> {
          settings.set(Keys.KEYS, keys.name());
          Job job = Tasks.digests(inputs.job(settings, "keys"), 2);
          job.setMapperClass(Keys.Maps.class);
          job.setMapOutputKeyClass(keys.type());
          job.setMapOutputValueClass(LongWritable.class);
          if (keys == Keys.SERIALIZED) {
            job.setSortComparatorClass(Keys.PlainOrder.class);
          }
          return job;
        },
        exchanges,
        threads());
  }
}
