package io.sluice.local;

import java.io.Closeable;
import java.io.IOException;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

/** A program that its client's class loader alone has, and a directory for one job of it. */
final class BroughtProgram implements Closeable {
  private final Path place;
  private final URLClassLoader classes;

  /**
   * Compiles it.
   *
   * @param place made here
   * @param sources by the names of their classes
   */
  BroughtProgram(Path place, Map<String, String> sources) throws IOException {
    this.place = Files.createDirectory(place);
    this.classes = CompiledClasses.of(Files.createDirectory(place.resolve("src")), sources);
  }

  /** A class of it. */
  <T> Class<? extends T> of(String name, Class<T> as) throws ClassNotFoundException {
    return classes.loadClass(name).asSubclass(as);
  }

  /** Settings of its job, of either interface of Hadoop, which reads so many files with a text. */
  Configuration conf(int files, String text) throws IOException {
    Path input = Files.createDirectory(place.resolve("input"));
    for (int i = 0; i < files; i++) {
      Files.writeString(input.resolve("lines" + i), text);
    }
    Configuration conf = new Jobs(place).conf();
    conf.set("mapreduce.framework.name", "sluice");
    conf.set(FileInputFormat.INPUT_DIR, input.toUri().toString());
    conf.set(FileOutputFormat.OUTDIR, place.resolve("output").toUri().toString());
    conf.setClassLoader(classes);
    return conf;
  }

  /** Does something as the program's own client does. */
  <T> T asClient(Callable<T> action) throws Exception {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(classes);
    try {
      return action.call();
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  /** What its job's only reduce has written, of the new interface or the old. */
  List<String> result() throws IOException {
    Path output = place.resolve("output");
    Path ofNew = output.resolve("part-r-00000");
    return Files.readAllLines(Files.exists(ofNew) ? ofNew : output.resolve("part-00000"));
  }

  @Override
  public void close() throws IOException {
    classes.close();
  }
}
