package io.sluice.mapreduce.order;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Writable;

final class IntOrderTest extends KeyOrderContract {
  IntOrderTest() {
    super(IntWritable.class);
  }

  @Override
  List<? extends Writable> edgeKeys() {
    return IntStream.of(
            Integer.MIN_VALUE, Integer.MIN_VALUE + 1, -256, -1, 0, 1, 255, Integer.MAX_VALUE)
        .mapToObj(IntWritable::new)
        .toList();
  }

  @Override
  Writable randomKey(Random random) {
    return new IntWritable(random.nextInt() >> random.nextInt(32));
  }
}
