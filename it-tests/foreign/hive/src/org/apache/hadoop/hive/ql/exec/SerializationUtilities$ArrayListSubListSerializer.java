package org.apache.hadoop.hive.ql.exec;

import java.util.ArrayList;
import java.util.List;
import org.apache.hive.com.esotericsoftware.kryo.Kryo;
import org.apache.hive.com.esotericsoftware.kryo.Serializer;
import org.apache.hive.com.esotericsoftware.kryo.io.Input;
import org.apache.hive.com.esotericsoftware.kryo.io.Output;

/**
 * Writes a part of a list as the list that it is. In place of the class of Hive 3.1.3 of this name,
 * which asks sub-lists for fields that they have had until Java 8.
 */
class SerializationUtilities$ArrayListSubListSerializer extends Serializer<List<?>> {
  @Override
  public List<?> read(Kryo kryo, Input input, Class<List<?>> type) {
    return (List<?>) kryo.readClassAndObject(input);
  }

  @Override
  public void write(Kryo kryo, Output output, List<?> list) {
    kryo.writeClassAndObject(output, new ArrayList<>(list));
  }

  @Override
  public List<?> copy(Kryo kryo, List<?> list) {
    return new ArrayList<>(list);
  }
}
