package io.sluice.it.scenario;

import io.sluice.it.jobs.ScenarioJob.SeededInputFormat;
import io.sluice.node.faults.CheatMain;
import io.sluice.node.wire.NodeMetadata;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.security.TokenCache;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * A job whose map tasks try to get at another user's bytes, from their containers and with their
 * own rights. What came of each attempt is its output.
 */
public final class CheatJob extends Configured implements Tool {
  /** With a pool's path behind it: what {@link CheatMain} is to know of the other, on that node. */
  static final String FOREIGN = "cheat.foreign.";

  private static final String METADATA = "NM_AUX_SERVICE_sluice_shuffle";
  private static final List<Class<?>> CLASSES =
      List.of(CheatJob.class, Cheat.class, CheatMain.class, CheatMain.Attempt.class);

  /** Reads nothing of its input. */
  public static final class Cheat
      extends Mapper<WritableComparable<?>, BytesWritable, Text, NullWritable> {
    @Override
    public void run(Context context) throws IOException, InterruptedException {
      String metadata = System.getenv(METADATA);
      Path pool = NodeMetadata.decode(Base64.getDecoder().decode(metadata)).pool();
      byte[] secret = TokenCache.getShuffleSecretKey(context.getCredentials());
      List<String> arguments = new ArrayList<>();
      arguments.add(metadata);
      arguments.add(context.getJobID().toString().replace("job", "application"));
      arguments.add(HexFormat.of().formatHex(secret));
      arguments.addAll(Arrays.asList(context.getConfiguration().getStrings(FOREIGN + pool)));
      try {
        for (String outcome : CheatMain.outcomes(arguments)) {
          context.write(new Text(outcome), NullWritable.get());
        }
      } catch (IOException | InterruptedException | RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new IOException(e);
      }
    }
  }

  /** The jar with the scenario jobs, and this one. */
  static Path jar(Path jobsJar, Path jar) throws IOException {
    try (ZipFile jobs = new ZipFile(jobsJar.toFile());
        ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(jar))) {
      for (ZipEntry entry : jobs.stream().toList()) {
        out.putNextEntry(new ZipEntry(entry.getName()));
        jobs.getInputStream(entry).transferTo(out);
      }
      for (Class<?> each : CLASSES) {
        String name = each.getName().replace('.', '/') + ".class";
        out.putNextEntry(new ZipEntry(name));
        try (InputStream bytes = each.getClassLoader().getResourceAsStream(name)) {
          bytes.transferTo(out);
        }
      }
    }
    return jar;
  }

  @Override
  public int run(String[] arguments) throws Exception {
    Job job = Job.getInstance(getConf(), "cheat");
    job.setJarByClass(CheatJob.class);
    job.setInputFormatClass(SeededInputFormat.class);
    job.setMapperClass(Cheat.class);
    job.setMapOutputKeyClass(Text.class);
    job.setMapOutputValueClass(NullWritable.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(NullWritable.class);
    FileOutputFormat.setOutputPath(job, new org.apache.hadoop.fs.Path(arguments[0]));
    return job.waitForCompletion(true) ? 0 : 1;
  }

  /** With the output's directory as the only argument. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new CheatJob(), arguments));
  }
}
