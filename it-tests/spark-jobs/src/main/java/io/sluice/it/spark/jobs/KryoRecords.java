package io.sluice.it.spark.jobs;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.serializers.JavaSerializer;
import org.apache.spark.serializer.KryoRegistrator;

/** Lets Kryo, which does not know Java's records, bring back what tasks found. */
public final class KryoRecords implements KryoRegistrator {
  @Override
  public void registerClasses(Kryo kryo) {
    kryo.register(PartitionSummary.class, new JavaSerializer());
  }
}
