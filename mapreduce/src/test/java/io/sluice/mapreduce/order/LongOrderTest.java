package io.sluice.mapreduce.order;

import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Writable;

final class LongOrderTest extends KeyOrderContract {
  LongOrderTest() {
    super(LongWritable.class);
  }

  @Override
  List<? extends Writable> edgeKeys() {
    return LongStream.of(
            Long.MIN_VALUE, Long.MIN_VALUE + 1, -1L << 32, -1, 0, 1, 1L << 31, Long.MAX_VALUE)
        .mapToObj(LongWritable::new)
        .toList();
  }

  @Override
  Writable randomKey(Random random) {
    return new LongWritable(random.nextLong() >> random.nextInt(64));
  }
}
