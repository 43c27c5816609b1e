#include "sim/machine.hpp"

#include <cstdlib>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "sim/engine/network.hpp"
#include "sim/engine/ring.hpp"
#include "sim/platform_properties.hpp"
#include "tests/support/temporary_directory.hpp"

namespace fourfold::sim {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr const char* kProperties = R"(    <prop id="description" value="two nodes"/>
    <prop id="nodes" value="2"/>
    <prop id="gpus_per_node" value="2"/>
    <prop id="nics_per_node" value="1"/>
    <prop id="gpu_to_nic" value="0 0"/>
    <prop id="gpu_links" value="switch"/>
    <prop id="gpu" value="a100-sxm4-40"/>
    <prop id="library" value="nccl-slingshot"/>
)";

constexpr const char* kClusters =
    R"(    <cluster id="ports" prefix="gpu-" suffix="" radical="0-3" speed="1Gf" bw="100GBps" lat="1us" sharing_policy="SPLITDUPLEX"/>
    <cluster id="nics" prefix="nic-" suffix="" radical="0-1" speed="1Gf" bw="10GBps" lat="2us" sharing_policy="SPLITDUPLEX"/>
)";

/// Line 5 of the file is the first property.
std::string platform(const std::string& properties, const std::string& clusters = kClusters) {
  return fmt::format(
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\">\n  <zone id=\"toy\" routing=\"Floyd\">\n{}{}  "
      "</zone>\n</platform>\n",
      properties, clusters);
}

std::string with(const std::string& from, const std::string& to) {
  std::string text = kProperties;
  text.replace(text.find(from), from.size(), to);
  return text;
}

class MachineFile : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) const {
    return directory_.file("machine.xml", text);
  }
  void expect_refused(const std::string& text, const testing::Matcher<std::string>& message) const {
    const std::filesystem::path file = write(text);
    EXPECT_THAT([&] { load_machine(file); },
                ThrowsMessage<ConfigError>(AllOf(HasSubstr(file.filename().string()), message)));
  }

 private:
  test::TemporaryDirectory directory_;
};

TEST(Machine, LoadsPerlmutter) {
  const Machine machine = load_machine(find_machine("perlmutter"));
  EXPECT_EQ(machine.name, "perlmutter");
  EXPECT_EQ(machine.gpus, 6144);
  EXPECT_EQ(machine.nodes(), 1536);
  EXPECT_EQ(machine.nics_per_node, 4);
  EXPECT_THAT(machine.gpu_to_nic, ElementsAre(0, 1, 2, 3));
  EXPECT_TRUE(machine.mesh);
  EXPECT_DOUBLE_EQ(machine.nic_bandwidth, 25e9);
  EXPECT_DOUBLE_EQ(machine.port_bandwidth, 300e9);
  EXPECT_EQ(machine.gpu.name, "NVIDIA A100-SXM4-40GB");
  EXPECT_EQ(machine.library.name, "NCCL on Slingshot 11");
  EXPECT_THAT(machine.summary(),
              AllOf(HasSubstr("6144 GPUs: 1536 nodes of 4"), HasSubstr("gpu 0 --- gpu 1"),
                    HasSubstr("nic 3"), HasSubstr("312.0 TFLOP/s")));
}

TEST_F(MachineFile, LoadsAUsersFile) {
  const Machine machine = load_machine(write(platform(kProperties)));
  EXPECT_EQ(machine.description, "two nodes");
  EXPECT_EQ(machine.gpus, 4);
  EXPECT_FALSE(machine.mesh);
  EXPECT_DOUBLE_EQ(machine.nic_bandwidth, 10e9);
  EXPECT_DOUBLE_EQ(machine.port_bandwidth, 100e9);
  EXPECT_EQ(machine.host_name_of_gpu(3), "gpu-3");
  EXPECT_EQ(machine.nic_of_gpu(1), 0);
  EXPECT_EQ(machine.host_name_of_nic(machine.nic_of_gpu(3)), "nic-1");
}

// Two nodes of four GPUs and a NIC: 0-1 and 2-3 of 200 GB/s, 0-2 of 100, 1-3 of nothing, so that 1 and 3 talk over 0 and 2
// at the library's 75 % of 100.
TEST_F(MachineFile, KnowsUnevenLinks) {
  std::string properties = with("\"switch\"", "\"0-1:200GBps 2-3:200GBps 0-2:100GBps\"");
  properties.replace(properties.find("per_node\" value=\"2\""), 19, "per_node\" value=\"4\"");
  properties.replace(properties.find("0 0"), 3, "0 0 0 0");
  properties.replace(properties.find("nccl-slingshot"), 14, "rccl-slingshot");
  std::string clusters = kClusters;
  clusters.replace(clusters.find("0-3"), 3, "0-7");
  const Machine machine = load_machine(write(platform(properties, clusters)));
  EXPECT_EQ(machine.mesh_links.links().size(), 3U);
  EXPECT_THAT(machine.summary(), HasSubstr("gpu 0           .   200   100     .   nic 0"));
  const Network& network = Network::load(machine.file);
  const auto ring_bandwidth = [&](const std::vector<int>& ranks) {
    const ProcessGroup group{AxisSet(Axis::x), ranks};
    return make_ring(group, machine, network).placement.ring_bandwidth;
  };
  EXPECT_DOUBLE_EQ(ring_bandwidth({4, 6}), 100e9);
  EXPECT_DOUBLE_EQ(ring_bandwidth({5, 7}), 0.75 * 100e9);
  EXPECT_DOUBLE_EQ(ring_bandwidth({0, 1, 5, 7}), 0.75 * 100e9);  // the node with the narrower links
  EXPECT_DOUBLE_EQ(ring_bandwidth({0, 4}), 0.0);                 // one GPU a node
}

TEST(Machine, FindsByNameAndSuggestsTheNearest) {
  EXPECT_THAT(machine_names(), Contains("perlmutter"));
  EXPECT_EQ(find_machine("perlmutter").filename(), "perlmutter.xml");
  EXPECT_EQ(find_machine(find_machine("perlmutter").string()), find_machine("perlmutter"));
  EXPECT_THAT([] { find_machine("perlmuter"); },
              ThrowsMessage<ConfigError>(HasSubstr("did you mean \"perlmutter\"?")));
  EXPECT_THAT([] { find_machine("mine/cluster.xml"); },
              ThrowsMessage<ConfigError>(HasSubstr("no such file")));
}

TEST(Machine, TakesItsDirectoryFromTheEnvironment) {
  ::setenv("FOURFOLD_PLATFORMS", "/nonexistent", 1);
  EXPECT_THAT([] { platforms_directory(); },
              ThrowsMessage<ConfigError>(HasSubstr("FOURFOLD_PLATFORMS")));
  ::setenv("FOURFOLD_PLATFORMS", testing::TempDir().c_str(), 1);
  EXPECT_EQ(platforms_directory(), testing::TempDir());
}

TEST_F(MachineFile, ReportsMalformedXmlWithLineAndColumn) {
  expect_refused("<platform version=\"4.1\">\n  <zone id=\"a\" routing=Floyd>\n",
                 HasSubstr("line 2, column 24"));
  expect_refused("<platform version=\"4.1\">\n  <zone id=\"a\">\n  </zon>\n</platform>",
                 AllOf(HasSubstr("line 3"), HasSubstr("mismatched tag")));
  const std::string whole = platform(kProperties);
  for (const std::size_t size : {whole.size() - 12, whole.size() / 2, std::size_t{30}}) {
    expect_refused(whole.substr(0, size), HasSubstr("is the file truncated?"));
  }
  expect_refused("", HasSubstr("cannot read"));
}

TEST_F(MachineFile, RefusesOtherXml) {
  expect_refused("<html><zone/></html>", HasSubstr("not a SimGrid platform"));
  expect_refused("<platform version=\"4.1\"/>", HasSubstr("must have one <zone>"));
}

TEST_F(MachineFile, AsksForMissingProperties) {
  for (const std::string name : {"description", "nodes", "gpus_per_node", "nics_per_node",
                                 "gpu_to_nic", "gpu_links", "gpu", "library"}) {
    std::string properties = kProperties;
    const std::size_t begin = properties.find(fmt::format("    <prop id=\"{}\"", name));
    properties.erase(begin, properties.find('\n', begin) + 1 - begin);
    expect_refused(platform(properties),
                   HasSubstr(fmt::format("property \"{}\" is missing", name)));
  }
}

TEST_F(MachineFile, RefusesUnknownPropertiesNamingTheNearest) {
  expect_refused(platform(with("gpus_per_node", "gpu_per_node")),
                 AllOf(HasSubstr("line 7"), HasSubstr("\"gpu_per_node\""),
                       HasSubstr("did you mean \"gpus_per_node\"?")));
  expect_refused(platform(std::string(kProperties) + "<prop id=\"gpu\" value=\"h100-sxm\"/>\n"),
                 AllOf(HasSubstr("line 13"), HasSubstr("given twice")));
}

TEST_F(MachineFile, RefusesValuesThatMakeNoSense) {
  for (const std::string value : {"0", "-1", "2.5", "NaN", "two", "99999999999999999999", " 2"}) {
    expect_refused(
        platform(with("\"nodes\" value=\"2\"", fmt::format("\"nodes\" value=\"{}\"", value))),
        AllOf(HasSubstr("line 6"), HasSubstr("is not a whole number from 1")));
  }
  expect_refused(platform(with("value=\"0 0\"", "value=\"0 1\"")),
                 HasSubstr("\"1\" is not a whole number from 0 to 0"));
  expect_refused(platform(with("value=\"0 0\"", "value=\"0\"")),
                 HasSubstr("one NIC for each of the 2 GPUs"));
  for (const std::string property : {"gpu_speed", "gpu_speed_spread"}) {
    for (const std::string value : {"1.5", "-0.1", "fast"}) {
      expect_refused(
          platform(fmt::format("{}<prop id=\"{}\" value=\"{}\"/>\n", kProperties, property, value)),
          AllOf(HasSubstr(property), HasSubstr("is not a number from")));
    }
  }
  expect_refused(platform(with("switch", "torus")), HasSubstr("must be \"mesh\""));
  for (const char* link : {"0-2:50GBps", "0-0:50GBps", "0-1:50", "0-1:-50GBps", "0-1:50GBpsx"}) {
    expect_refused(platform(with("switch", link)),
                   HasSubstr("is not a link between two of the 2 GPUs"));
  }
  expect_refused(platform(with("switch", "0-1:50GBps 1-0:50GBps")), HasSubstr("joined twice"));
  expect_refused(platform(with("two nodes", "")), HasSubstr("must not be empty"));
}

TEST_F(MachineFile, SuggestsTheNearestGpuAndLibrary) {
  expect_refused(platform(with("a100-sxm4-40", "a100-sxm4-44")),
                 HasSubstr("did you mean \"a100-sxm4-40\"?"));
  expect_refused(platform(with("nccl-slingshot", "ncl-slingshot")),
                 HasSubstr("did you mean \"nccl-slingshot\"?"));
}

TEST_F(MachineFile, NamesAMissingHost) {
  expect_refused(platform(with("\"nodes\" value=\"2\"", "\"nodes\" value=\"3\"")),
                 HasSubstr("no host \"gpu-4\""));
}

TEST_F(MachineFile, RefusesWhatWouldEndSimGrid) {
  std::string text = platform(kProperties);
  text.replace(text.find("Floyd"), 5, "Floid");
  expect_refused(text, AllOf(HasSubstr("line 4"), HasSubstr("did you mean \"Floyd\"?")));
  text = platform(kProperties);
  text.replace(text.find("0-3"), 3, "0-99999999999");
  expect_refused(text, AllOf(HasSubstr("line 13"), HasSubstr("more than 10000000 hosts")));
}

TEST_F(MachineFile, RefusesNegativeBandwidth) {
  std::string text = platform(kProperties);
  text.replace(text.find("10GBps"), 6, "-1GBps");
  expect_refused(text, HasSubstr("has a bandwidth of -1000000000 B/s"));
}

TEST_F(MachineFile, TurnsSimGridsErrorsIntoItsOwn) {
  expect_refused(platform(kProperties, "    <cluster id=\"ports\" prefix=\"gpu-\"/>\n"),
                 HasSubstr("SimGrid refuses"));
}

TEST_F(MachineFile, TurnsUnknownElementsIntoItsOwn) {
  expect_refused(platform(kProperties, "    <gpu id=\"0\"/>\n"), HasSubstr("SimGrid refuses"));
}

TEST_F(MachineFile, TurnsBadUnitsIntoItsOwn) {
  expect_refused(
      platform(
          kProperties,
          R"(    <cluster id="ports" prefix="gpu-" suffix="" radical="0-3" speed="1Gf" bw="100GBpx" lat="1us"/>)"),
      HasSubstr("SimGrid refuses"));
}

}  // namespace
}  // namespace fourfold::sim
