/** What Hadoop's client talks to. */
package io.sluice.local.client;
