package io.sluice.mapreduce.order;

import java.util.List;
import java.util.Random;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.Writable;

final class BytesWritableOrderTest extends KeyOrderContract {
  BytesWritableOrderTest() {
    super(BytesWritable.class);
  }

  @Override
  List<? extends Writable> edgeKeys() {
    return edgeBytes().stream().map(BytesWritable::new).toList();
  }

  @Override
  Writable randomKey(Random random) {
    return new BytesWritable(randomBytes(random, random.nextInt(10) == 0 ? 300 : 20));
  }
}
