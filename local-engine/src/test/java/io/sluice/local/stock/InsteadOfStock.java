package io.sluice.local.stock;

import io.sluice.hadoop.local.SluiceClientProtocolProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.protocol.ClientProtocol;
import org.apache.hadoop.mapreduce.protocol.ClientProtocolProvider;

/**
 * Gives jobs the engine that ask for {@code local}, as Hadoop's tests do in their code, while it is
 * switched on.
 */
public final class InsteadOfStock extends ClientProtocolProvider {
  private static volatile boolean isOn;

  /** Made by clients, which look for providers in the class path. */
  public InsteadOfStock() {}

  static void set(boolean on) {
    isOn = on;
  }

  @Override
  public ClientProtocol create(Configuration conf) throws IOException {
    String framework = conf.get(MRConfig.FRAMEWORK_NAME, MRConfig.LOCAL_FRAMEWORK_NAME);
    if (!isOn || !framework.equals(MRConfig.LOCAL_FRAMEWORK_NAME)) {
      return null;
    }
    // The job keeps its settings: some tests look at them.
    Configuration ours = new Configuration(conf);
    ours.set(MRConfig.FRAMEWORK_NAME, SluiceClientProtocolProvider.FRAMEWORK);
    return new SluiceClientProtocolProvider().create(ours);
  }

  @Override
  public ClientProtocol create(InetSocketAddress address, Configuration conf) {
    return null;
  }

  @Override
  public void close(ClientProtocol engine) {
    // Its jobs go on.
  }
}
