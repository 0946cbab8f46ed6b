package foreign.avro;

import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.mapred.AvroKey;
import org.apache.avro.mapred.AvroValue;
import org.apache.avro.mapreduce.AvroJob;
import org.apache.avro.mapreduce.AvroKeyOutputFormat;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
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

/** Lines of a user, a page and milliseconds into an Avro file of records, one a user and page. */
public final class Sessions extends Configured implements Tool {
  /** Pages are sorted downwards, and a note that is not compared goes with the key. */
  static final Schema VISIT =
      new Schema.Parser()
          .parse(
              """
              {"type": "record", "name": "Visit", "namespace": "foreign", "fields": [
                {"name": "user", "type": "string"},
                {"name": "page", "type": "int", "order": "descending"},
                {"name": "note", "type": ["null", "string"], "order": "ignore"}]}
              """);

  static final Schema TOTAL =
      new Schema.Parser()
          .parse(
              """
              {"type": "record", "name": "Total", "namespace": "foreign", "fields": [
                {"name": "user", "type": "string"},
                {"name": "page", "type": "int"},
                {"name": "visits", "type": "long"},
                {"name": "ms", "type": {"type": "array", "items": "long"}}]}
              """);

  /** A key of the fields of a line. */
  public static final class LineMapper
      extends Mapper<LongWritable, Text, AvroKey<GenericRecord>, AvroValue<Long>> {
    private final GenericRecord visit = new GenericData.Record(VISIT);
    private final AvroKey<GenericRecord> key = new AvroKey<>(visit);

    @Override
    protected void map(LongWritable at, Text line, Context context)
        throws IOException, InterruptedException {
      String[] fields = line.toString().split(" ");
      visit.put("user", fields[0]);
      visit.put("page", Integer.parseInt(fields[1]));
      visit.put("note", at.get() % 3 == 0 ? null : "at " + at.get() % 3);
      context.write(key, new AvroValue<>(Long.valueOf(fields[2])));
    }
  }

  /** Visits and the sum of their milliseconds. */
  public static final class TotalReducer
      extends Reducer<
          AvroKey<GenericRecord>, AvroValue<Long>, AvroKey<GenericRecord>, NullWritable> {
    @Override
    protected void reduce(
        AvroKey<GenericRecord> key, Iterable<AvroValue<Long>> values, Context context)
        throws IOException, InterruptedException {
      long visits = 0;
      long ms = 0;
      for (AvroValue<Long> value : values) {
        visits++;
        ms += value.datum();
      }
      GenericRecord total = new GenericData.Record(TOTAL);
      total.put("user", key.datum().get("user"));
      total.put("page", key.datum().get("page"));
      total.put("visits", visits);
      total.put("ms", java.util.List.of(ms, ms / visits));
      context.write(new AvroKey<>(total), NullWritable.get());
    }
  }

  @Override
  public int run(String[] arguments) throws Exception {
    Job job = Job.getInstance(getConf(), "sessions");
    job.setJarByClass(Sessions.class);
    FileInputFormat.addInputPath(job, new Path(arguments[0]));
    FileOutputFormat.setOutputPath(job, new Path(arguments[1]));
    FileOutputFormat.setCompressOutput(job, true);
    job.setMapperClass(LineMapper.class);
    job.setReducerClass(TotalReducer.class);
    AvroJob.setMapOutputKeySchema(job, VISIT);
    AvroJob.setMapOutputValueSchema(job, Schema.create(Schema.Type.LONG));
    AvroJob.setOutputKeySchema(job, TOTAL);
    job.setOutputFormatClass(AvroKeyOutputFormat.class);
    return job.waitForCompletion(true) ? 0 : 1;
  }

  /** Input, output. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new Sessions(), arguments));
  }
}
