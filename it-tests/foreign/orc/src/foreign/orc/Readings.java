package foreign.orc;

import java.io.IOException;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;
import org.apache.orc.OrcConf;
import org.apache.orc.TypeDescription;
import org.apache.orc.mapred.OrcKey;
import org.apache.orc.mapred.OrcStruct;
import org.apache.orc.mapred.OrcValue;
import org.apache.orc.mapreduce.OrcInputFormat;
import org.apache.orc.mapreduce.OrcOutputFormat;

/** Lines of a sensor, a place and a value into an ORC file, shuffled as ORC's own structs. */
public final class Readings extends Configured implements Tool {
  private static final String KEY = "struct<sensor:int,place:string>";
  private static final String VALUE = "struct<value:bigint,note:string>";
  private static final String ROW = "struct<sensor:int,place:string,count:int,sum:bigint>";

  /** A struct for each half of a line. */
  public static final class LineMapper extends Mapper<LongWritable, Text, OrcKey, OrcValue> {
    private final OrcStruct key =
        (OrcStruct) OrcStruct.createValue(TypeDescription.fromString(KEY));
    private final OrcStruct value =
        (OrcStruct) OrcStruct.createValue(TypeDescription.fromString(VALUE));

    @Override
    protected void map(LongWritable at, Text line, Context context)
        throws IOException, InterruptedException {
      String[] fields = line.toString().split(" ");
      key.setFieldValue(0, new IntWritable(Integer.parseInt(fields[0])));
      key.setFieldValue(1, new Text(fields[1]));
      value.setFieldValue(0, new LongWritable(Long.parseLong(fields[2])));
      value.setFieldValue(1, at.get() % 2 == 0 ? null : new Text("odd"));
      context.write(new OrcKey(key), new OrcValue(value));
    }
  }

  /** A row for each key. */
  public static final class RowReducer
      extends Reducer<OrcKey, OrcValue, NullWritable, OrcStruct> {
    private final OrcStruct row =
        (OrcStruct) OrcStruct.createValue(TypeDescription.fromString(ROW));

    @Override
    protected void reduce(OrcKey key, Iterable<OrcValue> values, Context context)
        throws IOException, InterruptedException {
      int count = 0;
      long sum = 0;
      for (OrcValue value : values) {
        OrcStruct struct = (OrcStruct) value.value;
        count += struct.getFieldValue(1) == null ? 1 : 2;
        sum += ((LongWritable) struct.getFieldValue(0)).get();
      }
      OrcStruct of = (OrcStruct) key.key;
      row.setFieldValue(0, of.getFieldValue(0));
      row.setFieldValue(1, of.getFieldValue(1));
      row.setFieldValue(2, new IntWritable(count));
      row.setFieldValue(3, new LongWritable(sum));
      context.write(NullWritable.get(), row);
    }
  }

  /** Place and row. */
  public static final class PlaceMapper extends Mapper<NullWritable, OrcStruct, Text, LongWritable> {
    @Override
    protected void map(NullWritable none, OrcStruct row, Context context)
        throws IOException, InterruptedException {
      context.write((Text) row.getFieldValue(1), (LongWritable) row.getFieldValue(3));
    }
  }

  /** The sum of a place. */
  public static final class SumReducer extends Reducer<Text, LongWritable, Text, LongWritable> {
    @Override
    protected void reduce(Text place, Iterable<LongWritable> sums, Context context)
        throws IOException, InterruptedException {
      long sum = 0;
      for (LongWritable each : sums) {
        sum += each.get();
      }
      context.write(place, new LongWritable(sum));
    }
  }

  private Job job(String name, String input, String output) throws IOException {
    Job job = Job.getInstance(getConf(), name);
    job.setJarByClass(Readings.class);
    FileInputFormat.addInputPath(job, new Path(input));
    FileOutputFormat.setOutputPath(job, new Path(output));
    return job;
  }

  @Override
  public int run(String[] arguments) throws Exception {
    OrcConf.MAPRED_SHUFFLE_KEY_SCHEMA.setString(getConf(), KEY);
    OrcConf.MAPRED_SHUFFLE_VALUE_SCHEMA.setString(getConf(), VALUE);
    OrcConf.MAPRED_OUTPUT_SCHEMA.setString(getConf(), ROW);
    Job write = job("readings to ORC", arguments[0], arguments[1]);
    write.setMapperClass(LineMapper.class);
    write.setMapOutputKeyClass(OrcKey.class);
    write.setMapOutputValueClass(OrcValue.class);
    write.setReducerClass(RowReducer.class);
    write.setOutputKeyClass(NullWritable.class);
    write.setOutputValueClass(OrcStruct.class);
    write.setOutputFormatClass(OrcOutputFormat.class);
    Job read = job("ORC to sums", arguments[1], arguments[2]);
    read.setInputFormatClass(OrcInputFormat.class);
    read.setMapperClass(PlaceMapper.class);
    read.setCombinerClass(SumReducer.class);
    read.setReducerClass(SumReducer.class);
    read.setOutputKeyClass(Text.class);
    read.setOutputValueClass(LongWritable.class);
    return write.waitForCompletion(true) && read.waitForCompletion(true) ? 0 : 1;
  }

  /** Input, ORC, output. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new Readings(), arguments));
  }
}
