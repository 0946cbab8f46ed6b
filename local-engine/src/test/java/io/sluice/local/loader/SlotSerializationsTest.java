package io.sluice.local.loader;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.util.ReflectionUtils;
import org.junit.jupiter.api.Test;

class SlotSerializationsTest {
  @Test
  void clientCopiesObjectsBesideSlots() throws IOException {
    Configuration conf = new Configuration();
    new SlotLoader(conf); // takes the place of Hadoop's serializations
    assertEquals(
        new IntWritable(3), ReflectionUtils.copy(conf, new IntWritable(3), new IntWritable()));
  }
}
