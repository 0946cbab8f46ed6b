package io.sluice.mapreduce.map;

import java.io.IOException;
import org.apache.hadoop.io.serializer.SerializationFactory;
import org.apache.hadoop.io.serializer.Serializer;
import org.apache.hadoop.mapred.JobConf;

/**
 * Turns one key and value after the other into bytes, by the job's serializations.
 *
 * <p>Thread contract: one thread. Ownership: plain heap memory, see {@link SerializedRecord}.
 * Failure: {@link IOException} or whatever else the user's serializers throw; the next record
 * begins afresh.
 */
final class RecordSerializer<K, V> {
  private final SerializedRecord staging = new SerializedRecord();
  private final Class<?> keyClass;
  private final Class<?> valueClass;
  private final Serializer<K> keySerializer;
  private final Serializer<V> valueSerializer;
  private int keyLength;

  /** For what the maps of {@code job} emit. */
  @SuppressWarnings("unchecked")
  RecordSerializer(JobConf job) throws IOException {
    SerializationFactory factory = new SerializationFactory(job);
    keyClass = job.getMapOutputKeyClass();
    valueClass = job.getMapOutputValueClass();
    keySerializer = factory.getSerializer((Class<K>) keyClass);
    valueSerializer = factory.getSerializer((Class<V>) valueClass);
    keySerializer.open(staging);
    valueSerializer.open(staging);
  }

  Class<?> keyClass() {
    return keyClass;
  }

  Class<?> valueClass() {
    return valueClass;
  }

  /** Serializes a record in the place of the one before. */
  void serialize(K key, V value) throws IOException {
    staging.reset();
    keySerializer.serialize(key);
    keyLength = staging.lengthBytes();
    valueSerializer.serialize(value);
  }

  /** Key and value, one after the other from the beginning; valid until the next one. */
  byte[] bytes() {
    return staging.array();
  }

  int keyLength() {
    return keyLength;
  }

  int valueLength() {
    return staging.lengthBytes() - keyLength;
  }

  /** Length of both. */
  int lengthBytes() {
    return staging.lengthBytes();
  }

  /** Lets go of the record, and of what a large one took. */
  void shrink() {
    staging.shrink();
  }
}
