package foreign.hbase;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.mapreduce.CellCreator;
import org.apache.hadoop.hbase.mapreduce.HFileInputFormat;
import org.apache.hadoop.hbase.mapreduce.HFileOutputFormat2;
import org.apache.hadoop.hbase.mapreduce.TsvImporterMapper;
import org.apache.hadoop.hbase.mapreduce.VisibilityExpressionResolver;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** Lines to HFiles of four regions, as for a bulk load, and these to lines. No HBase runs. */
public final class BulkLoad extends Configured implements Tool {
  /** Knows no labels; HBase's own asks a running HBase for them. */
  public static final class NoLabels extends Configured implements VisibilityExpressionResolver {
    @Override
    public void init() {}

    @Override
    public List<Tag> createVisibilityExpTags(String expression) {
      return List.of();
    }
  }

  /** Cells by row. */
  public static final class Cells extends Mapper<NullWritable, Cell, Text, Text> {
    @Override
    protected void map(NullWritable key, Cell cell, Context context)
        throws IOException, InterruptedException {
      String column = Bytes.toString(CellUtil.cloneFamily(cell));
      column += ":" + Bytes.toString(CellUtil.cloneQualifier(cell));
      context.write(
          new Text(Bytes.toString(CellUtil.cloneRow(cell))),
          new Text(column + "=" + Bytes.toString(CellUtil.cloneValue(cell))));
    }
  }

  /** A line for each row. */
  public static final class Rows extends Reducer<Text, Text, Text, Text> {
    @Override
    protected void reduce(Text row, Iterable<Text> columns, Context context)
        throws IOException, InterruptedException {
      StringBuilder all = new StringBuilder();
      TreeSet<String> sorted = new TreeSet<>();
      columns.forEach(column -> sorted.add(column.toString()));
      sorted.forEach(column -> all.append(' ').append(column));
      context.write(row, new Text(all.toString()));
    }
  }

  @Override
  public int run(String[] arguments) throws Exception {
    Path hfiles = new Path(arguments[1]);
    Job load = Job.getInstance(getConf(), "bulk load");
    load.setJarByClass(BulkLoad.class);
    load.getConfiguration().set("importtsv.columns", "HBASE_ROW_KEY,d:count,d:text,e:flag");
    load.getConfiguration().setLong("importtsv.timestamp", 7);
    load.getConfiguration().setBoolean(HFileOutputFormat2.LOCALITY_SENSITIVE_CONF_KEY, false);
    load.getConfiguration()
        .setClass(
            CellCreator.VISIBILITY_EXP_RESOLVER_CLASS,
            NoLabels.class,
            VisibilityExpressionResolver.class);
    load.setInputFormatClass(TextInputFormat.class);
    FileInputFormat.setInputPaths(load, arguments[0]);
    load.setMapperClass(TsvImporterMapper.class);
    load.setMapOutputKeyClass(ImmutableBytesWritable.class);
    load.setMapOutputValueClass(Put.class);
    HFileOutputFormat2.configureIncrementalLoad(load, table(), regions());
    FileOutputFormat.setOutputPath(load, hfiles);
    if (!load.waitForCompletion(true)) {
      return 1;
    }
    Job read = Job.getInstance(getConf(), "HFiles to lines");
    read.setJarByClass(BulkLoad.class);
    read.setInputFormatClass(HFileInputFormat.class);
    FileInputFormat.setInputPaths(read, hfiles);
    read.setMapperClass(Cells.class);
    read.setReducerClass(Rows.class);
    read.setNumReduceTasks(2);
    read.setOutputFormatClass(TextOutputFormat.class);
    read.setOutputKeyClass(Text.class);
    read.setOutputValueClass(Text.class);
    FileOutputFormat.setOutputPath(read, new Path(arguments[2]));
    return read.waitForCompletion(true) ? 0 : 1;
  }

  private static TableDescriptor table() {
    return TableDescriptorBuilder.newBuilder(TableName.valueOf("rows"))
        .setColumnFamily(
            ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("d"))
                .setCompressionType(Compression.Algorithm.GZ)
                .setBloomFilterType(BloomType.ROW)
                .build())
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of("e"))
        .build();
  }

  /** Where regions begin, as a running HBase would say. */
  private static RegionLocator regions() {
    byte[][] starts = {{}, Bytes.toBytes("row2"), Bytes.toBytes("row5"), Bytes.toBytes("row8")};
    return (RegionLocator)
        Proxy.newProxyInstance(
            BulkLoad.class.getClassLoader(),
            new Class<?>[] {RegionLocator.class},
            (proxy, method, values) ->
                switch (method.getName()) {
                  case "getStartKeys" -> starts;
                  case "getName" -> TableName.valueOf("rows");
                  default -> throw new UnsupportedOperationException(method.toString());
                });
  }

  /** Directories of lines, of HFiles, and of lines. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new BulkLoad(), arguments));
  }
}
