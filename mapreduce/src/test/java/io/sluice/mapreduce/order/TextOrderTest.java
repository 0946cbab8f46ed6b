package io.sluice.mapreduce.order;

import java.util.List;
import java.util.Random;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;

final class TextOrderTest extends KeyOrderContract {
  TextOrderTest() {
    super(Text.class);
  }

  @Override
  List<? extends Writable> edgeKeys() {
    return edgeBytes().stream().map(Text::new).toList();
  }

  @Override
  Writable randomKey(Random random) {
    return new Text(randomBytes(random, random.nextInt(10) == 0 ? 300 : 20));
  }
}
