/** Single steps of the data path, measured by JMH. */
package io.sluice.bench.micro;
