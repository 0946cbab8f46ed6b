package io.sluice.local.oracle;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Comparator;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.VLongWritable;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.io.serializer.Deserializer;
import org.apache.hadoop.io.serializer.DeserializerComparator;
import org.apache.hadoop.io.serializer.Serialization;
import org.apache.hadoop.io.serializer.Serializer;
import org.apache.hadoop.mapreduce.Mapper;

/** Keys of many classes, made of a line's number. */
enum Keys {
  NULL(NullWritable.class, number -> NullWritable.get()),
  TEXT(Text.class, number -> new Text("é" + number % 500)),
  INT(IntWritable.class, number -> new IntWritable((int) (number % 500) - 250)),
  LONG(LongWritable.class, number -> new LongWritable((number % 500 - 250) << 40)),
  VLONG(VLongWritable.class, number -> new VLongWritable((number % 500 - 250) << 20)),
  DOUBLE(DoubleWritable.class, number -> new DoubleWritable((number % 500 - 250) / 3.0)),
  BYTES(BytesWritable.class, number -> new BytesWritable(bytes(number % 500))),
  OWN(Descending.class, number -> new Descending((int) (number % 500))),
  UNORDERED(Unregistered.class, number -> new Unregistered((int) (number % 500))),
  SERIALIZED(Plain.class, number -> new Plain(number % 500));

  static final String KEYS = "test.keys";

  private final Class<?> type;
  private final Maker maker;

  private interface Maker {
    Object make(long number);
  }

  Keys(Class<?> type, Maker maker) {
    this.type = type;
    this.maker = maker;
  }

  Class<?> type() {
    return type;
  }

  private static byte[] bytes(long number) {
    byte[] bytes = new byte[(int) (number % 20)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (number * (i + 1)); // negative ones, too
    }
    return bytes;
  }

  /** Writes the keys that the settings name, with the number of the line. */
  public static class Maps extends Mapper<LongWritable, Text, Object, LongWritable> {
    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      String text = line.toString();
      long number = Long.parseLong(text.substring(text.indexOf(' ') + 1));
      Keys keys = Keys.valueOf(context.getConfiguration().get(KEYS));
      context.write(keys.maker.make(number), new LongWritable(number));
    }
  }

  /** Of an int, with an order that neither its bytes nor its own compare method have. */
  public static class Descending extends Unregistered {
    static {
      WritableComparator.define(Descending.class, new Order());
    }

    /** For Hadoop. */
    public Descending() {}

    Descending(int number) {
      super(number);
    }

    /** The greatest first. */
    public static class Order extends WritableComparator {
      /** For Hadoop. */
      public Order() {
        super(Descending.class);
      }

      @Override
      public int compare(byte[] b1, int s1, int l1, byte[] b2, int s2, int l2) {
        return Integer.compare(readInt(b2, s2), readInt(b1, s1));
      }
    }
  }

  /** Of an int, compared as an object. */
  public static class Unregistered implements WritableComparable<Unregistered> {
    private int number;

    /** For Hadoop. */
    public Unregistered() {}

    Unregistered(int number) {
      this.number = number;
    }

    @Override
    public void write(DataOutput out) throws IOException {
      out.writeInt(number);
    }

    @Override
    public void readFields(DataInput in) throws IOException {
      number = in.readInt();
    }

    @Override
    public int compareTo(Unregistered other) {
      int digits = Integer.compare(number % 10, other.number % 10);
      return digits != 0 ? digits : Integer.compare(number, other.number);
    }

    @Override
    public int hashCode() {
      return number;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Unregistered of && of.number == number;
    }

    @Override
    public String toString() {
      return Integer.toString(number);
    }
  }

  /** No writable. */
  record Plain(long number) {}

  /** Of {@link Plain}: its digits and a byte that is none. */
  public static class PlainSerialization extends Configured implements Serialization<Plain> {
    @Override
    public boolean accept(Class<?> of) {
      return of == Plain.class;
    }

    @Override
    public Serializer<Plain> getSerializer(Class<Plain> of) {
      return new Serializer<>() {
        private OutputStream out;

        @Override
        public void open(OutputStream to) {
          out = to;
        }

        @Override
        public void serialize(Plain plain) throws IOException {
          out.write((plain.number + ".").getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        }

        @Override
        public void close() throws IOException {
          out.close();
        }
      };
    }

    @Override
    public Deserializer<Plain> getDeserializer(Class<Plain> of) {
      return new Deserializer<>() {
        private InputStream in;

        @Override
        public void open(InputStream from) {
          in = from;
        }

        @Override
        public Plain deserialize(Plain old) throws IOException {
          long number = 0;
          for (int digit = in.read(); digit != '.'; digit = in.read()) {
            if (digit < 0) {
              throw new IOException("the number has no end");
            }
            number = number * 10 + digit - '0';
          }
          return new Plain(number);
        }

        @Override
        public void close() throws IOException {
          in.close();
        }
      };
    }
  }

  /** Of {@link Plain}. */
  public static class PlainOrder extends DeserializerComparator<Plain> {
    /** For Hadoop. */
    public PlainOrder() throws IOException {
      super(new PlainSerialization().getDeserializer(Plain.class));
    }

    @Override
    public int compare(Plain one, Plain other) {
      return Comparator.comparingLong(Plain::number).compare(one, other);
    }
  }
}
