package foreign.parquet;

import java.io.IOException;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;
import org.apache.parquet.avro.AvroParquetInputFormat;
import org.apache.parquet.avro.AvroParquetOutputFormat;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;

/** Lines of a customer and an amount into a Parquet file, and that into lines. */
public final class Orders extends Configured implements Tool {
  static final Schema CUSTOMER =
      new Schema.Parser()
          .parse(
              """
              {"type": "record", "name": "Customer", "namespace": "foreign", "fields": [
                {"name": "name", "type": "string"},
                {"name": "orders", "type": "int"},
                {"name": "most", "type": ["null", "long"]},
                {"name": "amounts", "type": {"type": "array", "items": "long"}}]}
              """);

  /** Customer and amount. */
  public static final class LineMapper extends Mapper<LongWritable, Text, Text, LongWritable> {
    @Override
    protected void map(LongWritable at, Text line, Context context)
        throws IOException, InterruptedException {
      String[] fields = line.toString().split(" ");
      context.write(new Text(fields[0]), new LongWritable(Long.parseLong(fields[1])));
    }
  }

  /** A record for each customer. */
  public static final class CustomerReducer
      extends Reducer<Text, LongWritable, Void, GenericRecord> {
    @Override
    protected void reduce(Text name, Iterable<LongWritable> amounts, Context context)
        throws IOException, InterruptedException {
      int orders = 0;
      long most = 0;
      for (LongWritable amount : amounts) {
        orders++;
        most = Math.max(most, amount.get());
      }
      GenericRecord customer = new GenericData.Record(CUSTOMER);
      customer.put("name", name.toString());
      customer.put("orders", orders);
      customer.put("most", most > 990 ? null : most);
      customer.put("amounts", List.of(most, most / 2, (long) orders));
      context.write(null, customer);
    }
  }

  /** Customers by the number of their orders. */
  public static final class OrdersMapper extends Mapper<Void, GenericRecord, LongWritable, Text> {
    @Override
    protected void map(Void none, GenericRecord customer, Context context)
        throws IOException, InterruptedException {
      context.write(
          new LongWritable((Integer) customer.get("orders")), new Text(customer.toString()));
    }
  }

  /** How many they are, and the first by name. */
  public static final class CountReducer
      extends Reducer<LongWritable, Text, LongWritable, Text> {
    @Override
    protected void reduce(LongWritable orders, Iterable<Text> customers, Context context)
        throws IOException, InterruptedException {
      int count = 0;
      String first = "~";
      for (Text customer : customers) {
        count++;
        first = customer.toString().compareTo(first) < 0 ? customer.toString() : first;
      }
      context.write(orders, new Text(count + "\t" + first));
    }
  }

  private boolean write(String input, String output) throws Exception {
    Job job = Job.getInstance(getConf(), "orders to Parquet");
    job.setJarByClass(Orders.class);
    FileInputFormat.addInputPath(job, new Path(input));
    FileOutputFormat.setOutputPath(job, new Path(output));
    job.setMapperClass(LineMapper.class);
    job.setMapOutputKeyClass(Text.class);
    job.setMapOutputValueClass(LongWritable.class);
    job.setReducerClass(CustomerReducer.class);
    job.setOutputFormatClass(AvroParquetOutputFormat.class);
    AvroParquetOutputFormat.setSchema(job, CUSTOMER);
    AvroParquetOutputFormat.setCompression(job, CompressionCodecName.GZIP);
    return job.waitForCompletion(true);
  }

  private boolean read(String input, String output) throws Exception {
    Job job = Job.getInstance(getConf(), "Parquet to counts");
    job.setJarByClass(Orders.class);
    FileInputFormat.addInputPath(job, new Path(input));
    FileOutputFormat.setOutputPath(job, new Path(output));
    job.setInputFormatClass(AvroParquetInputFormat.class);
    AvroParquetInputFormat.setAvroReadSchema(job, CUSTOMER);
    job.setMapperClass(OrdersMapper.class);
    job.setReducerClass(CountReducer.class);
    job.setOutputKeyClass(LongWritable.class);
    job.setOutputValueClass(Text.class);
    return job.waitForCompletion(true);
  }

  @Override
  public int run(String[] arguments) throws Exception {
    return write(arguments[0], arguments[1]) && read(arguments[1], arguments[2]) ? 0 : 1;
  }

  /** Input, Parquet, output. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new Orders(), arguments));
  }
}
