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
 * Replaces the serializations of {@link ReflectionUtils#copy}, which Hadoop fixes at the first call
 * for all callers. A thread of a slot, by its context class loader, gets the serializations of its
 * job. Other threads get the earlier ones, or those of the settings on the class path.
 *
 * <p>Thread contract: safe from any thread.
 */
final class SlotSerializations extends SerializationFactory {
  private volatile SerializationFactory others; // null until a thread outside slots needs them

  private SlotSerializations(SerializationFactory before) {
    super(noSettings()); // its own are never used
    this.others = before;
  }

  /** Settings without files, because most jobs copy nothing and need not read files for this. */
  private static Configuration noSettings() {
    Configuration conf = new Configuration(false);
    conf.setClassLoader(
        SlotSerializations.class.getClassLoader()); // else it would keep the job's loader
    conf.set(CommonConfigurationKeys.IO_SERIALIZATIONS_KEY, WritableSerialization.class.getName());
    return conf;
  }

  /** Replaces Hadoop's object. */
  static void install() {
    try {
      Field factory = ReflectionUtils.class.getDeclaredField("serialFactory");
      factory.setAccessible(true);
      factory.set(null, new SlotSerializations((SerializationFactory) factory.get(null)));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          "this release of Hadoop has no ReflectionUtils.serialFactory", e);
    }
  }

  private SerializationFactory ofThread() {
    SlotLoader slot = SlotOwners.ofThread();
    return slot == null ? others() : slot.serializations();
  }

  private SerializationFactory others() {
    SerializationFactory known = others;
    if (known == null) { // several threads may make one; any will do
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
