/** The engine's implementation of Hadoop's client protocol. */
package io.sluice.local.client;
