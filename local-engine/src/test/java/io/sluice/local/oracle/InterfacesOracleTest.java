package io.sluice.local.oracle;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Comparators, partitioners and combiners, and Hadoop's old interfaces beside its new ones. */
@Tag("slow")
class InterfacesOracleTest extends OracleTestBase {
  @BeforeEach
  void write() throws IOException {
    inputs.files("lines", 3, 1_000, 60);
  }

  private Job secondarySort(Configuration settings) throws IOException {
    Job job = Tasks.digests(inputs.job(settings, "lines"), 3);
    job.setMapperClass(Orders.Composite.class);
    job.setPartitionerClass(Orders.ByGroup.class);
    job.setSortComparatorClass(Orders.Sorted.class);
    job.setGroupingComparatorClass(Orders.Grouped.class);
    job.setReducerClass(Orders.InOrder.class);
    return job;
  }

  @Test
  void valuesComeInTheOrderOfASecondarySort() throws Exception {
    oracle.sameAsStock(this::secondarySort, threads());
  }

  @Test
  void aCombinerMayGroupAsTheReducerDoesNot() throws Exception {
    oracle.sameAsStock(
        settings -> {
          Job job = secondarySort(settings);
          job.setCombinerClass(Orders.SumOfGroup.class);
          job.setCombinerKeyGroupingComparatorClass(Orders.Grouped.class);
          job.setReducerClass(Orders.SumOfGroup.class);
          job.setOutputValueClass(LongWritable.class);
          return job;
        },
        threads());
  }

  private Job old(Configuration settings, boolean runner, boolean combines, boolean newReducer)
      throws IOException {
    JobConf conf = new JobConf(settings);
    if (runner) {
      conf.setMapRunnerClass(OldTasks.Runner.class);
      conf.setUseNewMapper(false);
    } else {
      conf.setMapperClass(OldTasks.Pairs.class);
    }
    if (combines) {
      conf.setCombinerClass(OldTasks.Sum.class);
    }
    if (!newReducer) {
      conf.setReducerClass(combines ? OldTasks.Sum.class : OldTasks.Digest.class);
    }
    conf.setMapOutputKeyClass(Text.class);
    conf.setMapOutputValueClass(LongWritable.class);
    conf.setOutputKeyClass(Text.class);
    conf.setOutputValueClass(combines ? LongWritable.class : NullWritable.class);
    conf.setNumReduceTasks(3);
    Job job = inputs.job(conf, "lines");
    if (newReducer) {
      if (combines) {
        job.setReducerClass(Tasks.Sum.class);
      } else {
        job.setReducerClass(Tasks.Digest.class);
      }
    }
    return job;
  }

  @ParameterizedTest
  @CsvSource({
    "false, false, false",
    "true, false, false",
    "false, true, false",
    "false, false, true",
    "true, true, true"
  })
  void oldInterfacesAndNewOnes(boolean runner, boolean combines, boolean newReducer)
      throws Exception {
    oracle.sameAsStock(
        settings -> old(settings, runner, combines, newReducer), List.of(exchange()), threads());
  }

  @ParameterizedTest
  @CsvSource({
    "false, false, false",
    "true, false, false",
    "false, true, false",
    "false, false, true",
    "true, true, true"
  })
  @Tag("campaign")
  void oldInterfacesAndNewOnesInEachExchange(boolean runner, boolean combines, boolean newReducer)
      throws Exception {
    oracle.sameAsStock(settings -> old(settings, runner, combines, newReducer), threads());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aMapOfTheNewInterfaceAndAReduceOfTheOld(boolean combines) throws Exception {
    oracle.sameAsStock(
        settings -> {
          JobConf conf = new JobConf(settings);
          conf.setReducerClass(combines ? OldTasks.Sum.class : OldTasks.Digest.class);
          Job job = inputs.job(conf, "lines");
          job.setMapperClass(Tasks.Pairs.class);
          if (combines) {
            job.setCombinerClass(Tasks.Sum.class);
          }
          job.setMapOutputKeyClass(Text.class);
          job.setMapOutputValueClass(LongWritable.class);
          job.setOutputKeyClass(Text.class);
          job.setOutputValueClass(combines ? LongWritable.class : NullWritable.class);
          job.setNumReduceTasks(2);
          return job;
        },
        threads());
  }
}
