package io.sluice.hadoop.local;

import io.sluice.hadoop.entry.Implementation;
import io.sluice.hadoop.entry.Implementation.Declined;
import io.sluice.hadoop.entry.Implementation.JavaVersion;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.protocol.ClientProtocol;
import org.apache.hadoop.mapreduce.protocol.ClientProtocolProvider;

/**
 * The entry of the in-process engine: jobs with {@code mapreduce.framework.name=sluice} run in the
 * client's JVM.
 *
 * <p>Hadoop's clients load all providers for any job, so this is Java 8 bytecode; see {@link
 * JavaVersion}. Thread contract: safe from any thread. Failure: {@link IOException} that says why
 * the engine does not run here.
 */
public final class SluiceClientProtocolProvider extends ClientProtocolProvider {
  /** The value of {@link MRConfig#FRAMEWORK_NAME}. */
  public static final String FRAMEWORK = "sluice";

  private static final String IMPLEMENTATION = "io.sluice.local.client.LocalEngine";

  @Override
  public ClientProtocol create(Configuration conf) throws IOException {
    if (!FRAMEWORK.equals(conf.get(MRConfig.FRAMEWORK_NAME))) {
      return null;
    }
    String declined = JavaVersion.declineReason(JavaVersion.current());
    if (declined != null) {
      throw new IOException("no job runs in this process: " + declined);
    }
    try {
      return Implementation.make(ClientProtocol.class, IMPLEMENTATION, conf);
    } catch (Declined e) {
      throw new IOException("no job runs in this process: " + e.getMessage(), e);
    }
  }

  @Override
  public ClientProtocol create(InetSocketAddress address, Configuration conf) {
    return null; // the engine has no address
  }

  @Override
  public void close(ClientProtocol engine) {
    // The engine's jobs continue, as on a cluster.
  }
}
