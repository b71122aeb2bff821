#pragma once
// Keys that retire after some uses. A key distribution chooses a place; the key there is the newest one.
//
//   RetiringKeys keys(30, 32);
//   keys.at(place)           // A number that no other place has or had.
//   keys.use(place);         // After the 32nd use a fresh key takes the place.

#include <cstdint>
#include <vector>

namespace serval {

class RetiringKeys {
 public:
  RetiringKeys(std::uint64_t places, std::uint64_t most_uses) : places_(places), most_uses_(most_uses) {
    for (Place& place : places_) place.key = fresh_key_++;
  }

  std::uint64_t at(std::uint64_t place) const { return places_[place].key; }
  void use(std::uint64_t place) {
    if (++places_[place].uses == most_uses_) places_[place] = {fresh_key_++, 0};
  }

 private:
  struct Place {
    std::uint64_t key = 0, uses = 0;
  };

  std::vector<Place> places_;
  std::uint64_t most_uses_;
  std::uint64_t fresh_key_ = 0;
};

}  // namespace serval
