package io.sluice.workloads.run;

import java.io.IOException;
import org.apache.hadoop.mapreduce.Reducer;

/** Adds, as a combiner and as a reducer: it is the same in which order and how often. */
public final class AddLongs<K> extends Reducer<K, Longs, K, Longs> {
  @Override
  protected void reduce(K key, Iterable<Longs> parts, Context context)
      throws IOException, InterruptedException {
    long[] sum = null;
    for (Longs part : parts) {
      sum = sum == null ? part.values() : Longs.sum(sum, part.values());
    }
    context.write(key, new Longs(sum));
  }
}
