package io.sluice.local.task;

import java.net.URL;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.util.ApplicationClassLoader;
import org.apache.hadoop.util.StringUtils;

/**
 * Loads what it has before what its parent has, but for classes of the process: those of the JDK,
 * of Hadoop, of Sluice, and of logging, which it has only if its parent does not.
 *
 * <p>Thread contract: that of class loaders.
 */
final class ProgramLoader extends ApplicationClassLoader {
  private static final List<String> OF_PROCESS = ofProcess();

  ProgramLoader(URL[] urls, ClassLoader parent) {
    super(urls, parent, OF_PROCESS);
  }

  private static List<String> ofProcess() {
    List<String> names =
        new ArrayList<>(StringUtils.getTrimmedStringCollection(SYSTEM_CLASSES_DEFAULT));
    names.addAll(
        List.of("-org.apache.hadoop.hive.", "io.sluice.", "org.slf4j.", "org.apache.logging."));
    return names;
  }

  @Override
  public Class<?> loadClass(String name) throws ClassNotFoundException {
    try {
      return super.loadClass(name);
    } catch (ClassNotFoundException e) {
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? findClass(name) : loaded;
      }
    }
  }
}
