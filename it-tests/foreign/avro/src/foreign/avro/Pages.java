package foreign.avro;

import java.io.IOException;
import java.io.PrintStream;
import org.apache.avro.Schema;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.mapred.AvroCollector;
import org.apache.avro.mapred.AvroJob;
import org.apache.avro.mapred.AvroMapper;
import org.apache.avro.mapred.AvroReducer;
import org.apache.avro.mapred.FsInput;
import org.apache.avro.mapred.Pair;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.FileInputFormat;
import org.apache.hadoop.mapred.FileOutputFormat;
import org.apache.hadoop.mapred.JobClient;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** The visits of each page, of what {@link Sessions} writes, by Avro's older interface. */
public final class Pages extends Configured implements Tool {
  private static final Schema PAIR =
      Pair.getPairSchema(Schema.create(Schema.Type.INT), Schema.create(Schema.Type.LONG));

  /** A pair for each total. */
  public static final class PageMapper extends AvroMapper<GenericRecord, Pair<Integer, Long>> {
    @Override
    public void map(
        GenericRecord total, AvroCollector<Pair<Integer, Long>> collector, Reporter reporter)
        throws IOException {
      reporter.incrCounter("pages", "totals", 1);
      collector.collect(
          new Pair<>(
              (Integer) total.get("page"),
              Schema.create(Schema.Type.INT),
              (Long) total.get("visits"),
              Schema.create(Schema.Type.LONG)));
    }
  }

  /** Their sum. */
  public static final class SumReducer extends AvroReducer<Integer, Long, String> {
    @Override
    public void reduce(
        Integer page, Iterable<Long> visits, AvroCollector<String> collector, Reporter reporter)
        throws IOException {
      long sum = 0;
      for (long count : visits) {
        sum += count;
      }
      collector.collect(page + "\t" + sum);
    }
  }

  @Override
  public int run(String[] arguments) throws Exception {
    JobConf job = new JobConf(getConf(), Pages.class);
    job.setJobName("pages");
    FileInputFormat.addInputPath(job, new Path(arguments[0]));
    FileOutputFormat.setOutputPath(job, new Path(arguments[1]));
    AvroJob.setInputSchema(job, Sessions.TOTAL);
    AvroJob.setMapperClass(job, PageMapper.class);
    AvroJob.setMapOutputSchema(job, PAIR);
    AvroJob.setReducerClass(job, SumReducer.class);
    AvroJob.setOutputSchema(job, Schema.create(Schema.Type.STRING));
    JobClient.runJob(job);
    return print(new Path(arguments[1]), arguments[2]);
  }

  /** Writes the records of all files as lines: the files themselves have random marks. */
  private int print(Path directory, String lines) throws IOException {
    try (PrintStream out = new PrintStream(lines)) {
      for (FileStatus file : directory.getFileSystem(getConf()).globStatus(new Path(directory, "part-*"))) {
        try (DataFileReader<Object> records =
            new DataFileReader<>(new FsInput(file.getPath(), getConf()), new GenericDatumReader<>())) {
          records.forEach(out::println);
        }
      }
    }
    return 0;
  }

  /** Input, output, the local file for its lines. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new Pages(), arguments));
  }
}
