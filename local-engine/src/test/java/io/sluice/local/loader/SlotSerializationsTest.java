package io.sluice.local.loader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.io.IOException;
import java.lang.reflect.Field;
import java.net.URL;
import java.net.URLClassLoader;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.serializer.SerializationFactory;
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

  @Test
  void theyKeepNoClassOfTheJobThatIsTheFirst() throws Exception {
    Field kept = ReflectionUtils.class.getDeclaredField("serialFactory");
    kept.setAccessible(true);
    Object before = kept.get(null);
    ClassLoader ofThread = Thread.currentThread().getContextClassLoader();
    Thread.currentThread().setContextClassLoader(new URLClassLoader(new URL[0], ofThread));
    try {
      SlotSerializations.install();
      SerializationFactory installed = (SerializationFactory) kept.get(null);
      assertSame(SlotSerializations.class.getClassLoader(), installed.getConf().getClassLoader());
    } finally {
      Thread.currentThread().setContextClassLoader(ofThread);
      kept.set(null, before);
    }
  }
}
