package io.sluice.local.loader;

import java.lang.reflect.Field;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.serializer.Deserializer;
import org.apache.hadoop.io.serializer.Serialization;
import org.apache.hadoop.io.serializer.SerializationFactory;
import org.apache.hadoop.io.serializer.Serializer;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * Serializations of {@link ReflectionUtils#copy}, which keeps those of its first call for all
 * callers. A thread of a slot, which is told by its context class loader, gets those of its job;
 * any other those that were there before, or those of the settings on the class path.
 *
 * <p>Thread contract: safe from any thread.
 */
final class SlotSerializations extends SerializationFactory {
  private final SerializationFactory others;

  /** A class loader with serializations of its own. */
  interface Slot {
    /** Those of its job. */
    SerializationFactory serializations();
  }

  private SlotSerializations(Configuration conf, SerializationFactory others) {
    super(conf);
    this.others = others;
  }

  /** Takes the place of Hadoop's. */
  static void install() {
    Configuration conf = new Configuration();
    conf.setClassLoader(SlotSerializations.class.getClassLoader());
    try {
      Field factory = ReflectionUtils.class.getDeclaredField("serialFactory");
      factory.setAccessible(true);
      SerializationFactory before = (SerializationFactory) factory.get(null);
      factory.set(
          null,
          new SlotSerializations(conf, before == null ? new SerializationFactory(conf) : before));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("this release of Hadoop copies objects otherwise", e);
    }
  }

  private SerializationFactory ofThread() {
    return Thread.currentThread().getContextClassLoader() instanceof Slot slot
        ? slot.serializations()
        : others;
  }

  @Override
  public <T> Serialization<T> getSerialization(Class<T> of) {
    return ofThread().getSerialization(of);
  }

  @Override
  public <T> Serializer<T> getSerializer(Class<T> of) {
    return ofThread().getSerializer(of);
  }

  @Override
  public <T> Deserializer<T> getDeserializer(Class<T> of) {
    return ofThread().getDeserializer(of);
  }
}
