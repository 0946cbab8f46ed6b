package io.sluice.local.loader;

import java.lang.reflect.Field;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.io.serializer.Deserializer;
import org.apache.hadoop.io.serializer.Serialization;
import org.apache.hadoop.io.serializer.SerializationFactory;
import org.apache.hadoop.io.serializer.Serializer;
import org.apache.hadoop.io.serializer.WritableSerialization;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * Serializations of {@link ReflectionUtils#copy}, which keeps those of its first call for all
 * callers. A thread of a slot, which is told by its context class loader, gets those of its job;
 * any other those that were there before, or those of the settings on the class path.
 *
 * <p>Thread contract: safe from any thread.
 */
final class SlotSerializations extends SerializationFactory {
  private volatile SerializationFactory others; // null: nobody outside slots has asked yet

  /** A class loader with serializations of its own. */
  interface Slot {
    /** Those of its job. */
    SerializationFactory serializations();
  }

  private SlotSerializations(SerializationFactory before) {
    super(noSettings()); // its own are never asked
    this.others = before;
  }

  /** Not those on the class path: jobs whose programs copy nothing need not read them for this. */
  private static Configuration noSettings() {
    Configuration conf = new Configuration(false);
    conf.setClassLoader(SlotSerializations.class.getClassLoader()); // it would keep the job's
    conf.set(CommonConfigurationKeys.IO_SERIALIZATIONS_KEY, WritableSerialization.class.getName());
    return conf;
  }

  /** Takes the place of Hadoop's. */
  static void install() {
    try {
      Field factory = ReflectionUtils.class.getDeclaredField("serialFactory");
      factory.setAccessible(true);
      factory.set(null, new SlotSerializations((SerializationFactory) factory.get(null)));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("this release of Hadoop copies objects otherwise", e);
    }
  }

  private SerializationFactory ofThread() {
    Slot slot = SlotOwners.ofThread(Slot.class);
    return slot == null ? others() : slot.serializations();
  }

  private SerializationFactory others() {
    SerializationFactory known = others;
    if (known == null) { // any of those that threads make at a time will do
      Configuration conf = new Configuration();
      conf.setClassLoader(SlotSerializations.class.getClassLoader());
      known = new SerializationFactory(conf);
      others = known;
    }
    return known;
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
