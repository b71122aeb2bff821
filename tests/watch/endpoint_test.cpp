#include "serval/watch/endpoint.h"

#include <sys/eventfd.h>

#include "serval/base/error.h"
#include "watch/temporary_folder.h"

namespace serval::watch {
namespace {

using Endpoint = WithFolder;

TEST_F(Endpoint, OnlyAddressesAreEndpoints) {
  for (const char* word : {"unix:a", "tcp:1", "tcp:"}) EXPECT_TRUE(is_endpoint(word)) << word;
  for (const char* word : {"", "-", "unix", "run.jsonl", "tcp.jsonl"})
    EXPECT_FALSE(is_endpoint(word)) << word;
}

TEST_F(Endpoint, UnixSocketIsRemovedWithItsListener) {
  {
    const Listener listener("unix:" + path("s"), Interfaces::LoopbackOnly);
    EXPECT_GE(listener.descriptor(), 0);
    EXPECT_EQ(listener.name(), "unix:" + path("s"));
    EXPECT_TRUE(std::filesystem::is_socket(path("s")));
  }
  EXPECT_FALSE(std::filesystem::exists(path("s")));
}

TEST_F(Endpoint, PortZeroTakesAFreePortAndReportsIt) {
  const Listener listener("tcp:0", Interfaces::LoopbackOnly);
  EXPECT_TRUE(listener.name().starts_with("tcp:127.0.0.1:")) << listener.name();
  EXPECT_FALSE(listener.name().ends_with(":0")) << listener.name();
}

TEST_F(Endpoint, ReachableInterfacesMustBeRequested) {
  EXPECT_THROW(Listener("tcp:0.0.0.0:0", Interfaces::LoopbackOnly), UsageError);
}

TEST_F(Endpoint, InvalidAddressesAreRefused) {
  for (const char* address : {"tcp:", "tcp:x", "tcp:70000", "tcp:127.0.0.1:", "unix:"})
    EXPECT_THROW(Listener(address, Interfaces::LoopbackOnly), std::runtime_error) << address;
}

TEST_F(Endpoint, AFileInPlaceOfASocketIsKept) {
  const std::string name = file("s", "precious");
  EXPECT_THROW(Listener("unix:" + name, Interfaces::LoopbackOnly), OutputError);
  EXPECT_EQ(std::filesystem::file_size(name), 8u);
}

TEST_F(Endpoint, WaitingEndsWhenWoken) {
  const int silent = ::eventfd(0, 0), wake = ::eventfd(1, 0);
  EXPECT_FALSE(await_readable(silent, wake, -1));
  EXPECT_FALSE(await_readable(silent, silent, 0));
  EXPECT_TRUE(await_readable(wake, silent, -1));
  ::close(silent);
  ::close(wake);
}

}  // namespace
}  // namespace serval::watch
